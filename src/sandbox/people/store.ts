import type { Account } from "../../resources/people/accounts.js";
import type { Affiliation } from "../../resources/people/affiliations.js";
import type { Authentication } from "../../resources/people/authentications.js";
import type { AdminComment } from "../../resources/people/comments.js";
import type { Label } from "../../resources/people/labels.js";
import type { Lead } from "../../resources/people/leads.js";
import type { OrganizationAccount } from "../../resources/people/organization-accounts.js";
import type { OrganizationAffiliation } from "../../resources/people/organization-affiliations.js";
import type { Organization } from "../../resources/people/organizations.js";
import type { AdminTask } from "../../resources/people/tasks.js";
import type { User } from "../../resources/people/users.js";
import type { Collection, Identified } from "../data/collection.js";

/** An e-mail to a user: sent through the Admin API, or with login details. The APIs do not return it; it is kept for tests. */
export interface SentEmail extends Identified {
  user_id: number;
  from: string;
  subject: string;
  body: string;
  sent_at: string;
}

/** The sandbox's organizations. Invoices and orders belong to the organization of their account. */
export interface OrganizationsStore {
  /** Which accounts belong to which organizations. */
  readonly organizationAccounts: Collection<OrganizationAccount & Identified>;
  readonly organizationAffiliations: Collection<OrganizationAffiliation>;
  readonly organizations: Collection<Organization>;
}

/** The sandbox's accounts and users, and the records about them. */
export interface PeopleStore extends OrganizationsStore {
  readonly accounts: Collection<Account>;
  readonly affiliations: Collection<Affiliation>;
  readonly authentications: Collection<Authentication>;
  readonly comments: Collection<AdminComment>;
  /** E-mails to users. */
  readonly emails: Collection<SentEmail>;
  readonly labels: Collection<Label>;
  readonly leads: Collection<Lead>;
  readonly tasks: Collection<AdminTask>;
  /** Users; the Organization API lists them as contacts. */
  readonly users: Collection<User>;
}
