import { helpBelow, optionWithValue } from "../arguments.js";
import { Argument, type Command } from "../commander.js";
import type { Terminal } from "../terminal.js";

/** Printed instead of candidates, so that the scripts complete file names. */
const FILES = ":files";

type Candidates = readonly string[] | typeof FILES;

/** `source <(education-admin-sdk completion bash)` */
export function completionCommand(command: Command, terminal: Terminal): void {
  command
    .description("Prints the script that completes commands, lists, filters and their values in a shell.")
    .addArgument(new Argument("<shell>", "which shell").choices(Object.keys(SCRIPTS)))
    .action((shell: keyof typeof SCRIPTS) => void terminal.stdout.write(SCRIPTS[shell]));
  helpBelow(command, () => HELP);
}

/**
 * The words that can complete a command line, one per line.
 * @param command the command that the words lead to.
 * @param words the words after the program's name. The last one is to be completed and may be empty.
 */
export function completionLines(command: Command, words: readonly string[]): string {
  const found = candidates(command, words);
  if (found === FILES) return `${FILES}\n`;
  return startingWith(words.at(-1) ?? "", found);
}

export function startingWith(begin: string, words: readonly string[]): string {
  return words.flatMap((word) => (word.startsWith(begin) ? `${word}\n` : [])).join("");
}

function candidates(command: Command, words: readonly string[]): Candidates {
  const [word = "", before = ""] = [words.at(-1), words.at(-2)];
  const [, flag = "", typed = ""] = /^(--[^=]+)=(.*)$/s.exec(word) ?? [];
  const option = optionWithValue(command, flag === "" ? before : flag);
  if (option) {
    return valuesOf(option.flags, option.argChoices, flag === "" ? word : typed, flag === "" ? "" : `${flag}=`);
  }
  if (word.startsWith("-")) {
    const help = command.createHelp();
    return help.visibleOptions(command).map(({ long, short }) => long ?? short ?? "");
  }
  if (command.commands.length > 0) {
    const hasArguments = command.commands.some((one) => one.name() === words.find((text) => !text.startsWith("-")));
    return hasArguments ? [] : command.commands.map((one) => one.name());
  }
  const argument = command.createHelp().visibleArguments(command)[positionsOf(command, words)];
  return argument ? valuesOf(`<${argument.name()}>`, argument.argChoices, word, "") : [];
}

// In `--status open,p`, completion keeps the text up to the comma.
function valuesOf(flags: string, choices: readonly string[] = [], typed: string, prefix: string): Candidates {
  if (/<(file|plan|rows)>$/.test(flags)) return prefix === "" ? FILES : [];
  const kept = `${prefix}${typed.slice(0, typed.lastIndexOf(",") + 1)}`;
  return choices.map((choice) => `${kept}${choice}`);
}

/** Number of a command's arguments before the word to complete. */
function positionsOf(command: Command, words: readonly string[]): number {
  const path: string[] = [];
  for (let at: Command | null = command; at?.parent; at = at.parent) path.push(at.name());
  const typed = words.slice(path.length, -1);
  return typed.filter((word, at) => !word.startsWith("-") && !optionWithValue(command, typed[at - 1])).length;
}

const HELP = `In ~/.bashrc:
  source <(education-admin-sdk completion bash)
In ~/.zshrc, after compinit:
  source <(education-admin-sdk completion zsh)
In ~/.config/fish/config.fish:
  education-admin-sdk completion fish | source
If the package is not installed globally, put this function before that line:
  education-admin-sdk() { npx education-admin-sdk "$@"; }
The same in fish:
  function education-admin-sdk; npx education-admin-sdk $argv; end`;

const SCRIPTS = {
  bash: `_education_admin_sdk() {
  local IFS=$' \\t\\n' words cur found
  # Bash breaks words at = and :, but the command line does not.
  read -ra words <<< "\${COMP_LINE:0:COMP_POINT}"
  [[ "\${COMP_LINE:0:COMP_POINT}" == *" " ]] && words+=("")
  cur="\${words[\${#words[@]}-1]}"
  IFS=$'\\n'
  found=($("\${words[0]}" completion -- "\${words[@]:1}" 2>/dev/null))
  if [[ "\${found[0]}" == "${FILES}" ]]; then
    compopt -o filenames 2>/dev/null
    COMPREPLY=($(compgen -f -- "$cur"))
    return
  fi
  COMPREPLY=("\${found[@]#"\${cur%"\${cur##*[=:]}"}"}")
}
complete -F _education_admin_sdk education-admin-sdk
`,
  zsh: `#compdef education-admin-sdk
_education_admin_sdk() {
  local -a found
  found=("\${(@f)$("\${words[1]}" completion -- "\${(@)words[2,CURRENT]}" 2>/dev/null)}")
  if [[ "\${found[1]}" == "${FILES}" ]]; then
    _files
  elif [[ -n "\${found[1]}" ]]; then
    compadd -a found
  fi
}
if [[ "\${funcstack[1]}" == _education-admin-sdk ]]; then
  _education_admin_sdk "$@"
else
  compdef _education_admin_sdk education-admin-sdk
fi
`,
  fish: `function __education_admin_sdk
  set -l words (commandline -opc) (commandline -ct)
  set -l found ($words[1] completion -- $words[2..-1] 2>/dev/null)
  if test "$found[1]" = "${FILES}"
    __fish_complete_path (commandline -ct)
  else
    printf '%s\\n' $found
  end
end
complete -c education-admin-sdk -f -a '(__education_admin_sdk)'
`,
};
