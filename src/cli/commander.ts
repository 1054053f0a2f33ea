// The build bundles commander into this module, so that the package does not depend on it. Its inferred option types
// (@commander-js/extra-typings) would make every helper generic and forbid adding one option to several commands in a
// loop.
export { Argument, Command, CommanderError, InvalidArgumentError, Option } from "commander";
