// Writes a long list to a file. Promises: memory does not grow with the list, and the file contains every record
// exactly once and in order.
import { createReadStream, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { OrganizationClient } from "education-admin-sdk";
import { exportTo } from "education-admin-sdk/export";
import { type CampaignOptions, campaign, command, type Figures, round } from "./support/command.ts";
import { settledHeapMb } from "./support/memory.ts";

export interface ExportFigures extends Figures {
  readonly records: number;
  readonly recordsPerSecond: number;
  /** The peak of heap and buffers, above their size at the start, in megabytes. */
  readonly growthMb: number;
  /** The peak size of the process, above its size after the first tenth, in megabytes. */
  readonly processGrowthMb: number;
}

const MOST_GROWTH_MB = 60;
const PAGE_SIZE = 100;
const TIME = "2030-01-01T00:00:00.000Z";

export function run(options: CampaignOptions = {}): Promise<ExportFigures> {
  return campaign("export", options, async ({ long, promises }) => {
    const records = long ? 1_000_000 : 20_000;
    const folder = mkdtempSync(join(tmpdir(), "export-campaign-"));
    const file = join(folder, "contacts.ndjson");
    const client = new OrganizationClient({
      baseUrl: "https://school.example",
      apiKey: "key-of-the-export-campaign",
      rateLimit: false,
      validation: "off",
      fetch: async (url) => pageOf(Number(new URL(url).searchParams.get("cursor") ?? 0), records),
    });
    try {
      const inUse = () => settledHeapMb() + process.memoryUsage().external / 1_048_576;
      const atStart = inUse();
      const grown: number[] = [];
      const sizes: number[] = [];
      const started = performance.now();
      await exportTo(file, client.contacts.list(), {
        format: "ndjson",
        onProgress: ({ pages }) => {
          if (pages % (records / PAGE_SIZE / 10) !== 0) return;
          grown.push(inUse() - atStart);
          sizes.push(process.memoryUsage.rss() / 1_048_576);
        },
      });
      const seconds = (performance.now() - started) / 1000;
      let last = 0;
      for await (const line of createInterface({ input: createReadStream(file) })) {
        const { id } = JSON.parse(line) as { id: number };
        promises.check(id === ++last, "records are written once and in order", `${id} in line ${last}`);
      }
      promises.check(last === records, "every record is written", `${last} of ${records}`);
      const growthMb = round(Math.max(...grown), 1);
      const processGrowthMb = round(Math.max(...sizes) - (sizes[0] ?? 0), 1);
      promises.check(growthMb <= MOST_GROWTH_MB, "memory does not grow with the list", `${growthMb} MB`);
      promises.check(processGrowthMb <= MOST_GROWTH_MB, "the process does not grow", `${processGrowthMb} MB`);
      return { records, recordsPerSecond: Math.round(records / seconds), growthMb, processGrowthMb };
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
}

function pageOf(from: number, records: number): Response {
  const body = Array.from({ length: PAGE_SIZE }, (_, at) => contact(from + at + 1));
  const next = from + PAGE_SIZE;
  return Response.json(body, { headers: next < records ? { link: `</?cursor=${next}>; rel="next"` } : {} });
}

function contact(id: number): object {
  const name = `Contact ${id} of the school`;
  return {
    id,
    first_name: name,
    last_name: name,
    email: `contact-${id}@example.org`,
    created_at: TIME,
    updated_at: TIME,
  };
}

if (import.meta.main) await command(run);
