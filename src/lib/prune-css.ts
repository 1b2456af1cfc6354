import { type AtRule, type Root, type Rule, parse } from "postcss";
import parser, { type Node, type Selector } from "postcss-selector-parser";

const nameOf = (node: Node): string | undefined => {
  if (node.type === "tag") return node.value.toLowerCase();
  if (node.type === "class") return `.${node.value}`;
  if (node.type === "attribute")
    return node.value === undefined ? `[${node.attribute}]` : `[${node.attribute}=${node.value}]`;
  return undefined;
};

const ANY_OF: ReadonlySet<string> = new Set([":is", ":where", ":has"]);

/** False if no element can match, regardless of the rest of the selector. */
const canMatch = (node: Node, absent: ReadonlySet<string>): boolean => {
  if (node.type === "selector") return node.nodes.every((part) => canMatch(part, absent));
  if (node.type === "attribute" && absent.has(`[${node.attribute}]`)) return false;
  if (node.type !== "pseudo") return !absent.has(nameOf(node) ?? "");
  if (absent.has(node.value)) return false;
  return !ANY_OF.has(node.value) || node.nodes.some((choice) => canMatch(choice, absent));
};

/** Removes the alternatives that match nothing, but leaves as many as `kept`. */
const pruneList = (list: { nodes: Selector[] }, absent: ReadonlySet<string>, kept: number): void => {
  const dead = list.nodes.filter((choice) => !canMatch(choice, absent));
  for (const choice of dead.slice(0, list.nodes.length - kept)) choice.remove();
};

const pruned = (selectors: string, absent: ReadonlySet<string>): string => {
  const list = parser().astSync(selectors);
  pruneList(list, absent, 0);
  // One stays: an empty `:not()` weighs less than the original.
  list.walkPseudos((pseudo) => pruneList(pseudo, absent, 1));
  return String(list);
};

const isKeyframe = (rule: Rule): boolean =>
  rule.parent?.type === "atrule" && (rule.parent as AtRule).name === "keyframes";

/** @returns true if a custom property was removed, which may have been the last use of another */
const dropUnusedProperties = (root: Root): boolean => {
  const used = new Set(String(root).match(/(?<=var\(\s*)--[\w-]+/g));
  let hasDropped = false;
  root.walkDecls(/^--/, (declaration) => {
    if (used.has(declaration.prop)) return;
    declaration.remove();
    hasDropped = true;
  });
  return hasDropped;
};

const dropUnusedKeyframes = (root: Root): void => {
  const used: string[] = [];
  root.walkDecls(/^animation(-name)?$/, ({ value }) => void used.push(...value.split(/[\s,]+/)));
  root.walkAtRules("keyframes", (keyframes) => void (used.includes(keyframes.params) || keyframes.remove()));
};

const dropEmpty = (root: Root): void => {
  root.walk((node) => {
    if ("nodes" in node && node.nodes?.length === 0) node.remove();
  });
};

/**
 * Removes the rules of a style sheet that match nothing, and the custom properties and keyframes that only they use.
 * @param absent missing from every page: `tag`, `.class`, `[attribute]`, `[attribute=value]` or `:pseudo-class`
 */
export const pruneCss = (css: string, absent: ReadonlySet<string>): string => {
  const root = parse(css);
  root.walkRules((rule) => {
    if (isKeyframe(rule)) return;
    rule.selector = pruned(rule.selector, absent);
    if (rule.selector === "") rule.remove();
  });
  dropUnusedKeyframes(root);
  while (dropUnusedProperties(root));
  dropEmpty(root);
  return String(root);
};
