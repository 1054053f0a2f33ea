// A host that configures its zod, the same copy that the package uses, and uses it before and after the client.
import { MainClient } from "education-admin-sdk";
import * as z from "zod";

const parameters = new URLSearchParams(location.search);
const customError = () => "the host's own words";
z.config({ customError });
const configuration = () => {
  const { customError: words, ...rest } = z.config();
  return JSON.stringify([rest, words === customError]);
};
const words = () => z.object({ email: z.email() }).safeParse({ email: "nobody" }).error?.issues[0]?.message;

async function check() {
  // On first use, zod completes its configuration.
  const before = [words(), configuration()];
  const client = new MainClient({
    baseUrl: parameters.get("baseUrl"),
    apiKey: parameters.get("apiKey"),
    dangerouslyAllowBrowser: true,
    validation: "strict",
  });
  await client.accounts.list();
  const refused = await client.accounts.create({}).catch((error) => error.name);
  return { before, after: [words(), configuration()], refused };
}

check().then(
  (seen) => {
    globalThis.result = seen;
  },
  (error) => {
    globalThis.result = { error: String(error.stack ?? error) };
  },
);
