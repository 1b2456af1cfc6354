/** Commander's messages about wrong use, in our words. */
const REWRITES: readonly (readonly [RegExp, string])[] = [
  [/^error: /, ""],
  [/\n/g, " "],
  [/\.$/, ""],
  [/^unknown (command|option) '(.*?)'/, 'unknown $1 "$2"'],
  [/^required option '(.*)' not specified$/, "the option $1 is missing"],
  [/^missing required argument '(.*)'$/, "the argument <$1> is missing"],
  [/^option '(--[\w-]+).*' argument missing$/, "$1 needs a value"],
  [
    /^command-argument value '(.*)' is invalid for argument '(.*)'\. Allowed choices are (.*)$/,
    '$2: "$1" is not one of $3',
  ],
  [/^too many arguments\b.*?: (.*)$/, "too many arguments: $1"],
  [
    /^option '(--[\w-]+).*' argument '(.*)' is invalid\. Allowed choices are (.*)$/,
    '$1: "$2" is not one of $3',
  ],
];

/** Says what is wrong with a command line, in one line. @param message Commander's */
export const usageMessage = (message: string): string =>
  REWRITES.reduce((text, [pattern, replacement]) => text.replace(pattern, replacement), message);
