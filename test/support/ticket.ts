import { Ticket, type TicketOptions } from "../../src/core/limits/ticket.js";

/** Makes the ticket of an interactive call with a time limit of 30 seconds; the options replace these defaults. */
export function makeTicket(options: Partial<TicketOptions> = {}): Ticket {
  return new Ticket({ priority: "interactive", signal: undefined, deadline: null, timeoutMs: 30_000, ...options });
}
