// Reads the sandbox's largest list over HTTP: the client in this process reads every contact, while the sandbox in
// another process creates them on demand. Promises: every record arrives exactly once and in order, and neither process
// holds the whole list.
import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { OrganizationClient } from "education-admin-sdk";
import { type CampaignOptions, campaign, command, type Figures, round } from "./support/command.ts";
import { settledHeapMb } from "./support/memory.ts";

export interface SandboxStreamFigures extends Figures {
  readonly records: number;
  readonly recordsPerSecond: number;
  /** The peak of the heap after garbage collection, above its size after the first tenth, in megabytes. */
  readonly clientGrowthMb: number;
  readonly sandboxGrowthMb: number;
}

const WORKER = fileURLToPath(new URL("./support/sandbox-worker.ts", import.meta.url));
const MOST_GROWTH_MB = 50;

export function run(options: CampaignOptions = {}): Promise<SandboxStreamFigures> {
  return campaign("sandbox-stream", options, async ({ seed, long, promises }) => {
    const size = long ? 1_000_000 : 20_000;
    const child = fork(WORKER, [String(seed), String(size)]);
    const [{ baseUrl, apiKey }] = (await once(child, "message")) as [{ baseUrl: string; apiKey: string }];
    const heaps: { client: number; sandbox: number }[] = [];
    const measure = async () => {
      child.send("heap");
      const [sandbox] = (await once(child, "message")) as [number];
      heaps.push({ client: settledHeapMb(), sandbox });
    };
    const started = performance.now();
    let records = 0;
    let last = 0;
    for await (const { id } of new OrganizationClient({ baseUrl, apiKey, rateLimit: false }).contacts.list()) {
      promises.check(id > last, "records come once and in order", `${id} after ${last}`);
      last = id;
      if (++records % (size / 10) === 0) await measure();
    }
    const seconds = (performance.now() - started) / 1000;
    child.send("close");
    await once(child, "exit");
    const growth = (side: "client" | "sandbox") =>
      round(Math.max(...heaps.map((heap) => heap[side])) - (heaps[0]?.[side] ?? 0), 1);
    const [clientGrowthMb, sandboxGrowthMb] = [growth("client"), growth("sandbox")];
    promises.check(records === size, "every record comes", `${records} of ${size}`);
    promises.check(clientGrowthMb < MOST_GROWTH_MB, "the client's heap is flat", `${clientGrowthMb} MB`);
    promises.check(sandboxGrowthMb < MOST_GROWTH_MB, "the sandbox's heap is flat", `${sandboxGrowthMb} MB`);
    return { records, recordsPerSecond: Math.round(records / seconds), clientGrowthMb, sandboxGrowthMb };
  });
}

if (import.meta.main) await command(run);
