type Acts = typeof import("education-admin-sdk/acts");
type Client = Parameters<Acts["credit"]>[0] & Parameters<Acts["enroll"]>[0] & Parameters<Acts["reschedule"]>[0];

/** The students of every act. */
export const STUDENTS = [900_901, 900_902] as const;

/** Each act as a program and a colleague call it, by name. */
export function actsOf(
  { credit, enroll, markAttendance, recordPayment, reschedule }: Acts,
  client: Client & Parameters<Acts["markAttendance"]>[0],
): Readonly<Record<string, (id: number, options: { marks: string; settleMs: number }) => Promise<unknown>>> {
  const paid = { amount: "12.50", date: "2030-06-30", reference: "transfer 1" };
  const move: ReturnType<typeof actsOf>[string] = (id, options) =>
    reschedule(client, id, { by: { weeks: 1 }, allowConflicts: true }, options);
  const moveTo =
    (to: string): typeof move =>
    (id, options) =>
      reschedule(client, id, { to, allowConflicts: true }, options);
  return {
    pay: (id, options) => recordPayment(client, id, paid, options),
    enroll: (id, options) => enroll(client, { plannedCourse: id, account: 1, people: STUDENTS }, options),
    credit: (id, options) => credit(client, id, {}, options),
    attend: (id) => markAttendance(client, id, { absent: [STUDENTS[0]], others: "attended" }),
    "move to summer time": move,
    "move from summer time": move,
    "move to summer time, to a day": moveTo("2030-04-01"),
    "move from summer time, to a day": moveTo("2030-10-27"),
  };
}
