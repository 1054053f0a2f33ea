import type { Account } from "../../resources/people/accounts.js";
import type { Affiliation } from "../../resources/people/affiliations.js";
import type { Authentication } from "../../resources/people/authentications.js";
import type { AdminComment } from "../../resources/people/comments.js";
import type { Label } from "../../resources/people/labels.js";
import type { Lead } from "../../resources/people/leads.js";
import type { Collection, Identified } from "../data/collection.js";

/** A user of the environment. The APIs have no list of them; the Organization API shows them as contacts. */
export interface User extends Identified {
  first_name: string | null;
  middle_name: string | null;
  last_name: string | null;
  email: string | null;
}

/** An e-mail that was sent. The APIs do not show it; tests want to see it. */
export interface SentEmail extends Identified {
  user_id: number;
  from: string;
  subject: string;
  body: string;
  sent_at: string;
}

/** The sandbox's people and businesses, and what is noted about them. */
export interface PeopleStore {
  readonly accounts: Collection<Account>;
  readonly affiliations: Collection<Affiliation>;
  readonly authentications: Collection<Authentication>;
  readonly comments: Collection<AdminComment>;
  /** E-mails sent through the Admin API. */
  readonly emails: Collection<SentEmail>;
  readonly labels: Collection<Label>;
  readonly leads: Collection<Lead>;
  /** Users: other records name them; the Organization API shows them as contacts. */
  readonly users: Collection<User>;
}
