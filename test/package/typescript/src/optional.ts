// Under exactOptionalPropertyTypes, an option that may be undefined is still accepted, and a value that is read keeps
// its type.
import { type ClientOptions, MainClient, type RequestOptions } from "education-admin-sdk";

export function connect(settings: { timeout: number | undefined; signal: AbortSignal | undefined }): MainClient {
  const options: ClientOptions = { baseUrl: "https://school.example", apiKey: "key", timeout: settings.timeout };
  const call: RequestOptions = { signal: settings.signal, totalTimeout: undefined };
  const client = new MainClient(options);
  void client.accounts.list({ search: undefined }, call);
  // @ts-expect-error null is not undefined
  void client.accounts.list({ search: null });
  return client;
}
