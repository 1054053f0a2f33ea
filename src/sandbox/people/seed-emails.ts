import * as z from "zod/mini";
import { dateTime } from "../../models/dates.js";
import type { Seed } from "../data/domain.js";
import type { SentEmail } from "../data/store.js";

/** The seed of e-mails to users, none of which was sent yet. @internal */
export const emailsSeed: Seed<SentEmail> = {
  count: 0,
  stored: () => ({
    id: z.int(),
    user_id: z.int(),
    from: z.string(),
    subject: z.string(),
    body: z.string(),
    sent_at: dateTime(),
  }),
  columns: {
    user_id: () => 1,
    from: () => "info@example.org",
    subject: () => "",
    body: () => "",
    sent_at: (_, __, { now }) => now,
  },
};
