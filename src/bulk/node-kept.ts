import { resolve } from "node:path";
import { beginOf, type Files, NO_WAITING, orNull } from "../work/place/node-files.js";

const KEPT = /\.\d{4}-\d\d-\d\d\.[0-9a-f]{8}$/;

export function keptName(to: string, made: string, digest: string): string {
  return `${to}.${made.slice(0, 10)}.${digest}`;
}

export function isKept(name: string): boolean {
  return KEPT.test(name);
}

export async function keptPlans(to: string, files: Files): Promise<string[]> {
  const names = (await orNull(files.siblings(resolve(to)))) ?? [];
  return names.filter(isKept);
}

export async function newestKept(to: string, files: Files): Promise<string[]> {
  const plans = await keptPlans(to, files);
  const ended = await Promise.all(plans.map(async (plan) => ({ plan, at: (await files.modified(plan)) ?? 0 })));
  return ended.sort((one, other) => other.at - one.at).map(({ plan }) => plan);
}

export const PLAN_BEGINS = '{"bulk":1';

export async function isPlanFile(path: string): Promise<boolean> {
  return (await headOf(path)) === PLAN_BEGINS;
}

/** Reads as many characters of a file as `PLAN_BEGINS` has; null if there is no file. */
export async function headOf(path: string): Promise<string | null> {
  return (await orNull(beginOf(path, PLAN_BEGINS.length, NO_WAITING)))?.toString() ?? null;
}
