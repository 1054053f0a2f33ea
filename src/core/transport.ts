import type { Call } from "./call.js";
import type { Operation, OperationInput, OperationOutput } from "./operation.js";
import type { ListOptions, RequestOptions } from "./options.js";
import type { Pages } from "./pages.js";
export declare class Transport {
  call<Row extends Operation>(
    row: Row,
    input: OperationInput<Row>,
    options?: RequestOptions,
  ): Call<OperationOutput<Row>>;
  pages<Row extends Operation>(
    row: Row,
    input: OperationInput<Row>,
    options?: ListOptions,
  ): Pages<OperationOutput<Row>>;
}
