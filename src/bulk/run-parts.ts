import type { Clock } from "../core/clock.js";
import type { Fact } from "./lines.js";
import type { RunService } from "./run-service.js";
import { AT_ONCE } from "./service.js";
import type { StepSettings } from "./step.js";

export type RunRequests = Pick<
  RunService,
  "atOnce" | "gets" | "listOf" | "look" | "room" | "leave" | "read" | "check" | "glances" | "write" | "pause"
>;

export interface RunParts {
  /** Resolves once the line is durable. */
  append(fact: Fact): Promise<void>;
  readonly clock: Pick<Clock, "now">;
  readonly service: RunRequests;
  readonly settings: StepSettings;
  /** Fields that may change although they are not sent. */
  readonly sideEffects: ReadonlySet<string>;
  /** Fields that changed without being sent, for rows that earlier runs wrote. */
  readonly sides: readonly (readonly [row: number, side: NonNullable<Fact["side"]>])[];
  /** Maximum milliseconds between the time in a journal line and the sending of its request. */
  readonly timeoutMs: number;
  readonly stopAfter: number;
  readonly name: string;
  readonly onNote?: (fact: Fact) => void;
}

/** Works on several items at a time until one fails. @throws the first failure, once all started work has ended. */
export async function sideBySide<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  const left = items[Symbol.iterator]();
  let failure: { readonly error: unknown } | null = null;
  const worker = async () => {
    for (let next = left.next(); !next.done && !failure; next = left.next()) {
      try {
        await work(next.value);
      } catch (error) {
        failure ??= { error };
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(AT_ONCE, items.length) }, worker));
  if (failure) throw (failure as { readonly error: unknown }).error;
}
