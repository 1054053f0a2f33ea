/**
 * Checks the results of each client from the sandbox: three accounts, a new one, and the response for a missing one.
 */
export function checkResults(
  listed: number,
  created: { id: number; name: string },
  status: number,
  message: string,
): void {
  if (listed !== 3) throw new Error(`${listed} accounts instead of 3`);
  if (created.name !== "Example Ltd" || created.id < 1) throw new Error(`created ${JSON.stringify(created)}`);
  if (status !== 404 || message === "") throw new Error(`status ${status}, message ${message}`);
  console.log("list, create, error");
}

declare global {
  /** The address of the Main API in the sandbox, which is set before this file is loaded. */
  var apiUrl: string;
  var apiKey: string;
}
