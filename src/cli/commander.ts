// The build puts commander into this module, so that the package depends on none. Its inferred types of options
// (@commander-js/extra-typings) make every helper generic and forbid adding one option to several commands in a loop.
export { Argument, Command, CommanderError, InvalidArgumentError, Option } from "commander";
