export interface RateLimitStore {
  readonly x: number;
}
