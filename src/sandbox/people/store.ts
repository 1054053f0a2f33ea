import type { Account } from "../../resources/people/accounts.js";
import type { Affiliation } from "../../resources/people/affiliations.js";
import type { Authentication } from "../../resources/people/authentications.js";
import type { AdminComment } from "../../resources/people/comments.js";
import type { Label } from "../../resources/people/labels.js";
import type { Lead } from "../../resources/people/leads.js";
import type { Collection, Identified } from "../data/collection.js";

/** A user of the environment. The Main and Admin API do not list users; the Organization API lists them as contacts. */
export interface User extends Identified {
  first_name: string | null;
  middle_name: string | null;
  last_name: string | null;
  email: string | null;
}

/** An e-mail sent through the Admin API. The APIs do not return it; it is kept for tests. */
export interface SentEmail extends Identified {
  user_id: number;
  from: string;
  subject: string;
  body: string;
  sent_at: string;
}

/** The sandbox's accounts and users, and the records about them. */
export interface PeopleStore {
  readonly accounts: Collection<Account>;
  readonly affiliations: Collection<Affiliation>;
  readonly authentications: Collection<Authentication>;
  readonly comments: Collection<AdminComment>;
  /** E-mails sent through the Admin API. */
  readonly emails: Collection<SentEmail>;
  readonly labels: Collection<Label>;
  readonly leads: Collection<Lead>;
  /** Users: other records refer to them; the Organization API lists them as contacts. */
  readonly users: Collection<User>;
}
