// Compares orders, invoices and payments in the sandbox with an independent model, using random sequences of operations
// through the client. Promises: every response, refusal and event is as the model predicts, and after every sequence
// the records are consistent.
import { MainClient } from "education-admin-sdk";
import { createSandbox } from "education-admin-sdk/sandbox";
import { type ModelFigures, runModel } from "../sandbox/model/run.ts";
import type { Library } from "../sandbox/model/world.ts";
import { type CampaignOptions, campaign, command, type Figures } from "./support/command.ts";

export type SandboxModelFigures = Figures & Omit<ModelFigures, "deviation">;

export function run(options: CampaignOptions = {}): Promise<SandboxModelFigures> {
  return campaign("sandbox-model", options, async ({ seed, long, promises }) => {
    const sequences = long ? 10_000 : 1_000;
    // The built package has its own copies of the types, which equal those in the sources.
    const library = { createSandbox, MainClient } as unknown as Library;
    const { deviation, ...figures } = await runModel(library, { seed, sequences });
    promises.check(deviation === null, "the sandbox does what the model says", deviation ?? "");
    return figures;
  });
}

if (import.meta.main) await command(run);
