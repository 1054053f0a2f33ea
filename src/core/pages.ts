export class Pages<T> {
  declare readonly t: T;
}
