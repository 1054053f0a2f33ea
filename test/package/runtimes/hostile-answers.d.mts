export function hostileAnswers(
  client: unknown,
  every?: number,
): Promise<{ readonly kinds: number; readonly wrong: readonly string[] }>;
