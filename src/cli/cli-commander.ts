// The build puts commander into this module, so that the package depends on none.
export { Argument, Command, CommanderError, InvalidArgumentError, Option } from "commander";
