// Exports values without type annotations, as another package may: declarations must be able to name each part of their
// types.
import { AdminClient, MainClient } from "education-admin-sdk";

export const client = new MainClient({ baseUrl: "https://school.example", apiKey: "key" });
export const make = () => new AdminClient({ baseUrl: "https://school.example", apiKey: "key" });
export const accounts = () => client.accounts.list();
export const account = (id: number) => client.accounts.get(id);
export class Api {
  readonly client = new MainClient({ baseUrl: "https://school.example", apiKey: "key" });
}
