import type { Option } from "commander";

const SUGGESTED = new WeakMap<Option, readonly string[]>();

/** Adds values for shells to suggest. Unlike the `choices` of an option, they do not restrict it. */
export const withSuggestions = (option: Option, values: readonly string[]): Option => {
  SUGGESTED.set(option, values);
  return option;
};

export const suggestionsFor = (option: Option): readonly string[] =>
  option.argChoices ?? SUGGESTED.get(option) ?? [];
