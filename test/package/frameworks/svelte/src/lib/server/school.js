import { MainClient } from "education-admin-sdk";

export const client = new MainClient();
