// Runs one program against its own sandboxes, in a worker of the page, and reports its output and requests to the page.
import type { createSandbox, RecordedRequest, SandboxOptions } from "education-admin-sdk/sandbox";
import { format } from "node-inspect-extracted";
import { transform } from "sucrase";
import { environmentOf } from "./environment.ts";
import { MODULES } from "./modules.ts";
import { type Block, type ExportedNames, importedModules, preludeFor, programFrom } from "./programs.ts";

/** A request from the page: a program up to a block, and the blocks of its document that are files. */
export interface Job {
  readonly blocks: readonly Block[];
  readonly files: readonly Block[];
}

/** Messages to the page. They contain the lines and requests of the last block only. */
export type News =
  | { readonly printed: string }
  | { readonly request: Pick<RecordedRequest, "method" | "path" | "status" | "operation"> }
  | { readonly failure: string | null };

const AsyncFunction = (async () => undefined).constructor as new (
  ...text: string[]
) => (...given: unknown[]) => Promise<void>;
const platformFetch = globalThis.fetch;
let isOfLastBlock = false;

addEventListener("message", ({ data }: MessageEvent<Job>) => run(data), { once: true });
addEventListener("error", ({ message }) => tell({ failure: message }));
addEventListener("unhandledrejection", ({ reason }) => tell({ failure: String(reason) }));

async function run({ blocks, files }: Job): Promise<void> {
  try {
    for (const method of ["log", "info", "warn", "error", "table"] as const) {
      console[method] = (...parts: unknown[]) => {
        if (isOfLastBlock) tell({ printed: `${format(...parts)}\n` });
      };
    }
    const program = programFrom(blocks);
    const sandboxes = (await load("education-admin-sdk/sandbox")) as { createSandbox: typeof createSandbox };
    const { fetch, variables } = environmentOf(program.name, sandboxes.createSandbox, async () => {
      throw new TypeError("fetch failed: programs in this page reach its sandbox only");
    });
    const prelude = program.name.startsWith("src/") ? preludeFor(program.code, await exportedNames()) : "";
    Object.assign(globalThis, { fetch, process: { env: variables } });
    // The programs are meant for servers. Their key opens only this sandbox, so a browser may hold it.
    Object.defineProperty(globalThis, "navigator", { value: { userAgent: "Documentation" } });
    const last = blocks.at(-1) as Block;
    const marked = [...blocks.slice(0, -1), { ...last, code: `beginLastBlock(); ${last.code}` }];
    await evaluate(programFrom(marked, prelude).code, files);
    tell({ failure: null });
  } catch (error) {
    tell({ failure: String(error) });
  }
}

/** Runs the code. @returns its exports. */
async function evaluate(code: string, files: readonly Block[]): Promise<object> {
  const modules = new Map<string, object>();
  for (const specifier of importedModules(code)) {
    const file = files.map((block) => programFrom([block])).find((one) => `./${one.file}` === specifier);
    modules.set(specifier, file ? await evaluate(file.code, files) : await load(specifier));
  }
  const { code: plain } = transform(code, { transforms: ["typescript", "imports"], disableESTransforms: true });
  const exported = {};
  const beginLastBlock = () => {
    isOfLastBlock = true;
  };
  await new AsyncFunction("exports", "require", "beginLastBlock", plain)(
    exported,
    (specifier: string) => modules.get(specifier),
    beginLastBlock,
  );
  return exported;
}

async function load(specifier: string): Promise<object> {
  const module = await MODULES[specifier]?.();
  if (!module) throw new Error(`${specifier} needs Node: it cannot be imported in a page`);
  const exported = { ...module, __esModule: true };
  return specifier === "education-admin-sdk/sandbox"
    ? { ...exported, createSandbox: observeSandboxes(module) }
    : exported;
}

/** Reports the requests of sandboxes to the page, including sandboxes that a program creates. */
function observeSandboxes(module: object): typeof createSandbox {
  const { createSandbox: create } = module as { createSandbox: typeof createSandbox };
  return (options: SandboxOptions = {}) =>
    create({
      ...options,
      onRequest: (recorded) => {
        const { method, path, status, operation } = recorded;
        if (isOfLastBlock) tell({ request: { method, path, status, operation } });
        options.onRequest?.(recorded);
      },
    });
}

async function exportedNames(): Promise<ExportedNames> {
  return (await platformFetch(new URL("names.json", import.meta.url))).json();
}

function tell(news: News): void {
  postMessage(news);
}
