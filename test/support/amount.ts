/** How much a test tries: few in `npm test`, which shows that it works, and all in `npm run test:full`. */
export function amount(few: number, all: number): number {
  return process.env.TEST_ALL ? all : few;
}
