import { MainClient } from "education-admin-sdk";

// Builds have no environment: nothing is read before the first call.
export const client = new MainClient();

// With options of its own this one can already read while the page is built.
export const built = new MainClient({ baseUrl: process.env.SCHOOL_URL, apiKey: process.env.SCHOOL_KEY });
