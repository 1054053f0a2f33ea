import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { onTestFinished } from "vitest";
import { start } from "../../support/program.ts";
import { place } from "./place.ts";

/** A student's place in a planned course. */
export interface Seat {
  readonly planned_course_id: number;
  readonly student_id: number;
}
/** The path of a seat on the learning platform's API. */
export const seat = ({ planned_course_id, student_id }: Seat) => `/courses/${planned_course_id}/members/${student_id}`;

/** A learning platform with its members, and the program that keeps them up to date. */
export async function provisioning({ failures = 0 } = {}) {
  const { sandbox, cwd, env } = await place();
  const { enrollments } = sandbox.store;
  for (const { id } of [...enrollments]) enrollments.update(id, { status: "canceled" });
  const members = new Map<string, unknown>();
  const asked: string[] = [];
  let failing = failures;
  const platform = createServer(async (request, response) => {
    const { method, url = "", headers } = request;
    const body = await text(request);
    asked.push(`${method} ${url}`);
    if (headers.authorization !== "Bearer lms-token") return void response.writeHead(401).end();
    if (failing-- > 0) return void response.writeHead(503).end();
    if (method === "PUT") members.set(url, JSON.parse(body));
    else members.delete(url);
    response.writeHead(204).end();
  });
  await new Promise<void>((resolve) => platform.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void platform.close());
  const run = (...options: string[]) => {
    const program = start("examples/lms-provisioning/lms-provisioning.ts", ["--port", "0", ...options], {
      cwd,
      env: {
        ...env,
        WEBHOOK_SECRET: "s3cret",
        LMS_URL: `http://127.0.0.1:${(platform.address() as AddressInfo).port}`,
        LMS_TOKEN: "lms-token",
      },
    });
    onTestFinished(() => void program.process.kill("SIGKILL"));
    return program;
  };
  const running = async () => {
    const program = run();
    const url = await program.waitForOutput(/http:\S+/);
    await program.waitForOutput(/enrollments are up to date/);
    const unsubscribe = sandbox.webhooks.subscribe({ to: url, secrets: "s3cret" });
    return { program, unsubscribe };
  };
  const seats = () => [...members.keys()].sort();
  return { sandbox, enrollments, members, seats, asked, run, running };
}
