import type { createSandbox, SandboxOptions } from "education-admin-sdk/sandbox";

const ADDRESS = "https://academy.example";
const NAMED = "https://school.example";

/** The environment of a documentation program, in the tests and in the page. */
export interface Environment {
  readonly variables: Readonly<Record<string, string>>;
  /** Serves the address in the environment. For docstrings and the skill, it also serves the address that they use. */
  fetch(input: string | URL | Request, init?: RequestInit): Promise<Response>;
}

/**
 * A fresh sandbox at the address in a program's environment and, for docstrings, at https://school.example too.
 * @param name the name of the program, such as `README.md:31`.
 * @param elsewhere answers requests to other addresses.
 */
export function environmentOf(
  name: string,
  create: typeof createSandbox,
  elsewhere: Environment["fetch"],
  options: SandboxOptions = {},
): Environment {
  const sandbox = create({ ...options, baseUrl: ADDRESS, apiKey: "key" });
  const named = create({ ...options, baseUrl: NAMED, apiKey: "key" });
  return {
    // Each program has its own key, so that programs share no request budget.
    variables: {
      EDUCATION_ADMIN_BASE_URL: ADDRESS,
      EDUCATION_ADMIN_API_KEY: sandbox.createKey(),
      OTHER_BASE_URL: ADDRESS,
      OTHER_API_KEY: sandbox.createKey(),
      WEBHOOK_SECRET: "s3cret",
      CLIENT_SECRET: "s3cret",
      ENCRYPTION_KEY: btoa("\0".repeat(32)),
    },
    fetch: (input, init) => {
      const url = input instanceof Request ? input.url : String(input);
      // Readers of a guide use their own address, so a guide's program with another address would not run as it stands.
      if (url.startsWith(NAMED) && !/^(README\.md|docs\/)/.test(name)) return named.fetch(input, init);
      return url.startsWith(ADDRESS) ? sandbox.fetch(input, init) : elsewhere(input, init);
    },
  };
}
