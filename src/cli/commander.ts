// The build bundles commander into this module, so that the package does not depend on it. @commander-js/extra-typings
// is not used: it would make every helper generic and forbid adding options in a loop.
export { Argument, Command, CommanderError, InvalidArgumentError, Option } from "commander";
