import fc from "fast-check";

const numbers = fc.infiniteStream(fc.noBias(fc.maxSafeNat()), { noHistory: true });

/** Returns a generator of random numbers from 0 to below 1; a seed always gives the same numbers. */
export function chance(seed: number): () => number {
  const [stream] = fc.sample(numbers, { seed, numRuns: 1 });
  if (!stream) throw new Error("fast-check gave no sample");
  return () => (stream.next().value as number) / 2 ** 53;
}
