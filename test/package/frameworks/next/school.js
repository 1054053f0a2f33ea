import { MainClient } from "education-admin-sdk";

// Builds have no environment, so the client reads it at the first call.
export const client = new MainClient();

// This client has its options, so it can read even while the page is built.
export const built = new MainClient({ baseUrl: process.env.SCHOOL_URL, apiKey: process.env.SCHOOL_KEY });
