// Orders, invoices and payments in the sandbox against an independent model: sequences of operations at random through the
// client. Holds: every answer, refusal and event is what the model says, and everything hangs together after every sequence.
import { MainClient } from "education-admin-sdk";
import { createSandbox } from "education-admin-sdk/sandbox";
import { type ModelFigures, runModel } from "../sandbox/model/run.ts";
import type { Library } from "../sandbox/model/world.ts";
import { type CampaignOptions, campaign, command, type Figures } from "./support/command.ts";

export type SandboxModelFigures = Figures & Omit<ModelFigures, "deviation">;

export function run(options: CampaignOptions = {}): Promise<SandboxModelFigures> {
  return campaign("sandbox-model", options, async ({ seed, long, promises }) => {
    const sequences = long ? 10_000 : 1_000;
    // The built package has types of its own, which are the same as those of the sources it was built from.
    const library = { createSandbox, MainClient } as unknown as Library;
    const { deviation, ...figures } = await runModel(library, { seed, sequences });
    promises.check(deviation === null, "the sandbox does what the model says", deviation ?? "");
    return figures;
  });
}

if (import.meta.main) await command(run);
