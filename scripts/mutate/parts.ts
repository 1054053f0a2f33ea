/** What is mutated, as Stryker's globs, and how many percent of it the tests must notice. */
export const PARTS = {
  core: { mutate: ["src/core/**/*.ts"], kill: 90 },
  around: {
    mutate: ["src/webhooks/**/*.ts", "src/sandbox/**/*.ts", "!src/sandbox/**/seed*.ts"],
    kill: 80,
  },
} as const;
