import * as z from "zod/mini";
import type { Schema } from "./model.js";
import type { Fits } from "./platform.js";

export { isTraced, traceCall, traceRequest } from "./call/trace-channels.js";

/**
 * Makes a fast check of a hot schema by generating code for it; see platform.ts. It builds no copy of the value, as
 * parsing does. Null where a host has configured zod as jitless, and where its zod is too old to compile schemas.
 */
export const compileCheck: ((schema: Schema) => Fits | null) | null = (schema) => {
  if (z.config().jitless || typeof z.compile !== "function" || typeof z.validate !== "function") return null;
  const compiled = z.compile(schema);
  return (value) => z.validate(compiled, value);
};

/** Sentences that follow a connection's code. */
export const CONNECTION_HINTS: Readonly<Record<string, string>> = {
  ENOTFOUND: " The host name is unknown; check baseUrl.",
  EAI_AGAIN: " The name server did not answer; check the network.",
  "bad port": " fetch never connects to this port; check baseUrl.",
  ECONNREFUSED: " Nothing is listening at that address; check baseUrl and the network.",
  DEPTH_ZERO_SELF_SIGNED_CERT: " The certificate is self-signed; add its authority with NODE_EXTRA_CA_CERTS.",
  SELF_SIGNED_CERT_IN_CHAIN: " The certificate's authority is unknown; add it with NODE_EXTRA_CA_CERTS.",
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: " The certificate's authority is unknown; add it with NODE_EXTRA_CA_CERTS.",
  ERR_SSL_WRONG_VERSION_NUMBER:
    " The server answers without TLS at that address; check the port and the scheme of baseUrl.",
  CERT_HAS_EXPIRED: " The certificate has expired.",
  ERR_TLS_CERT_ALTNAME_INVALID: " The certificate belongs to another host; check baseUrl.",
};
