/**
 * HTTP methods. The operations use GET, POST, PUT and DELETE (service description, "Rules for all operations", rule 1);
 * PATCH is for raw requests and for `routes`, and is retried like a POST.
 */
export type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

/** Every method, for checks at run time. */
export const METHODS: readonly unknown[] = ["GET", "POST", "PUT", "PATCH", "DELETE"] satisfies Method[];
