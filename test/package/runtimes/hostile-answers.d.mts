export function hostileAnswers(client: unknown): Promise<{ readonly kinds: number; readonly wrong: readonly string[] }>;
