import ts from "typescript";
import { regexMutations } from "./regex.ts";
import { sqlMutations } from "./sql.ts";

/** One small change of a module that its tests must notice. */
export interface Mutant {
  /** 1-based. */
  line: number;
  /** The changed lines, with single spaces. Survivors are listed by them, because line numbers change. */
  was: string;
  becomes: string;
  /** The whole module with the change. */
  text: string;
}

/** The texts that replace a node's text, one for each mutant. */
type Mutations = readonly string[];

const BOUNDARIES = { "<": "<=", "<=": "<", ">": ">=", ">=": ">" } as const;
const NEGATIONS = { "===": "!==", "!==": "===", "<": ">=", "<=": ">", ">": "<=", ">=": "<" } as const;
const OPERATORS: Readonly<Record<string, string>> = {
  "+": "-",
  "-": "+",
  "*": "/",
  "/": "*",
  "%": "*",
  "**": "*",
  "&": "|",
  "|": "&",
  "+=": "-=",
  "-=": "+=",
  "??=": "=",
};
const METHODS: Readonly<Record<string, string>> = {
  some: "every",
  every: "some",
  find: "findLast",
  findIndex: "findLastIndex",
  startsWith: "endsWith",
  endsWith: "startsWith",
  toLowerCase: "toUpperCase",
  toUpperCase: "toLowerCase",
  min: "max",
  max: "min",
  floor: "ceil",
  ceil: "floor",
  round: "floor",
};
/** Methods whose object has the type of their result, so that a call can be dropped. */
const DROPPED: ReadonlySet<string> = new Set(
  "filter slice trim toSorted toReversed replace replaceAll normalize subarray".split(" "),
);

const ofBinary = (node: ts.BinaryExpression): Mutations => {
  const [left, operator, right] = [node.left, node.operatorToken, node.right].map((one) => one.getText());
  const withOperator = (other: string) => `${left} ${other} ${right}`;
  switch (operator) {
    // Tests that distinguish each side from the whole also distinguish `&&` from `||`.
    case "&&":
    case "||":
    case "??":
      return [`(${left})`, `(${right})`];
    case "===":
    case "!==":
      return [withOperator(NEGATIONS[operator])];
    case "<":
    case "<=":
    case ">":
    case ">=":
      return [withOperator(BOUNDARIES[operator]), withOperator(NEGATIONS[operator])];
    case undefined:
      return [];
    default:
      return operator in OPERATORS ? [withOperator(OPERATORS[operator]!)] : [];
  }
};

const ofNumber = (node: ts.NumericLiteral): Mutations => {
  const value = Number(node.text);
  // "1_000" and 2 ** 53 and more come out as the number itself does.
  if (!Number.isInteger(value)) return [String(value * 2), String(value / 2)];
  return value === 0 ? ["1"] : [String(value + 1), String(value - 1)];
};

const ofCall = ({ expression, arguments: nodes }: ts.CallExpression): Mutations => {
  if (!ts.isPropertyAccessExpression(expression)) return [];
  const { expression: object, name, questionDotToken } = expression;
  const target = object.getText();
  const args = nodes.map((one) => one.getText()).join(", ");
  const other = METHODS[name.text];
  const isMath = target === "Math";
  return [
    ...(other === undefined ? [] : [`${target}${questionDotToken ? "?." : "."}${other}(${args})`]),
    ...(!isMath && DROPPED.has(name.text) ? [target] : []),
  ];
};

/** Replaces a statement by an empty block. */
const ofStatement = (node: ts.Statement): Mutations =>
  ts.isExpressionStatement(node) || ts.isThrowStatement(node) || ts.isBreakStatement(node) ? ["{}"] : [];

/** True if a string is a value, not a key or the name of a module. */
const isValue = (node: ts.Node): boolean => {
  const { parent } = node;
  if (ts.isPropertyAssignment(parent) || ts.isMethodDeclaration(parent)) return parent.name !== node;
  return !ts.isElementAccessExpression(parent) && !ts.isExternalModuleReference(parent);
};

/** True for a template, or a part of one, that is a statement or a part of one. */
const isSql = ({ parent }: ts.Node): boolean =>
  ts.isTaggedTemplateExpression(parent)
    ? parent.tag.getText() === "sql"
    : (ts.isTemplateExpression(parent) || ts.isTemplateSpan(parent)) && isSql(parent);

const ofLiteral = (node: ts.Node): Mutations => {
  if (ts.isTemplateLiteralToken(node) && isSql(node)) return sqlMutations(node.getText());
  if (node.kind === ts.SyntaxKind.TrueKeyword) return ["false"];
  if (node.kind === ts.SyntaxKind.FalseKeyword) return ["true"];
  if (ts.isNumericLiteral(node)) return ofNumber(node);
  if (ts.isRegularExpressionLiteral(node)) return regexMutations(node.text);
  if (ts.isTemplateExpression(node)) return isSql(node) ? [] : ["``"];
  if (ts.isStringLiteral(node) || ts.isNoSubstitutionTemplateLiteral(node))
    return isValue(node) ? [node.text === "" ? '"mutant"' : '""'] : [];
  return [];
};

const ofExpression = (node: ts.Node): Mutations => {
  if (ts.isBinaryExpression(node)) return ofBinary(node);
  if (ts.isCallExpression(node)) return ofCall(node);
  if (ts.isPrefixUnaryExpression(node)) {
    const operand = node.operand.getText();
    if (node.operator === ts.SyntaxKind.ExclamationToken || node.operator === ts.SyntaxKind.MinusToken)
      return [`(${operand})`];
  }
  if (ts.isPostfixUnaryExpression(node))
    return [node.getText().endsWith("++") ? `${node.operand.getText()}--` : `${node.operand.getText()}++`];
  if (ts.isPropertyAccessExpression(node) && node.questionDotToken)
    return [`${node.expression.getText()}.${node.name.text}`];
  if (ts.isArrayLiteralExpression(node) && node.elements.length > 0) return ["[]"];
  return [];
};

/** Makes a condition always true and always false. A loop only gets false, because it must end. */
const ofCondition = (node: ts.Node): Mutations => {
  const { parent } = node;
  if (ts.isIfStatement(parent) || ts.isConditionalExpression(parent))
    return (ts.isIfStatement(parent) ? parent.expression : parent.condition) === node
      ? ["true", "false"]
      : [];
  const isLoop = ts.isWhileStatement(parent)
    ? parent.expression === node
    : ts.isForStatement(parent) && parent.condition === node;
  return isLoop ? ["false"] : [];
};

/** Replaces the result of a function by undefined. */
const ofReturn = (node: ts.Node): Mutations => {
  const { parent } = node;
  const isReturned = ts.isArrowFunction(parent)
    ? parent.body === node && !ts.isBlock(node)
    : ts.isReturnStatement(parent);
  return isReturned && node.getText() !== "undefined" ? ["undefined"] : [];
};

const mutationsOf = (node: ts.Node): Mutations => [
  ...ofCondition(node),
  ...ofReturn(node),
  ...ofExpression(node),
  ...ofLiteral(node),
  ...(ts.isStatement(node) ? ofStatement(node) : []),
];

const hasNoCode = (node: ts.Node): boolean =>
  ts.isTypeNode(node) ||
  ts.isImportDeclaration(node) ||
  ts.isInterfaceDeclaration(node) ||
  ts.isTypeAliasDeclaration(node);

const oneLine = (text: string): string => text.replaceAll(/\s+/g, " ").trim();

/** All mutants of a module, in the order of its text, without duplicates. */
export const mutantsOf = (module: string): Mutant[] => {
  const source = ts.createSourceFile("module.ts", module, ts.ScriptTarget.ESNext, true);
  const mutants = new Map<string, Mutant>();
  const add = (node: ts.Node, replacement: string) => {
    const [start, end] = [node.getStart(), node.getEnd()];
    const text = module.slice(0, start) + replacement + module.slice(end);
    if (mutants.has(text)) return;
    const lineStart = module.lastIndexOf("\n", start - 1) + 1;
    const lineEnd = module.indexOf("\n", end);
    mutants.set(text, {
      line: source.getLineAndCharacterOfPosition(start).line + 1,
      was: oneLine(module.slice(lineStart, lineEnd)),
      becomes: oneLine(module.slice(lineStart, start) + replacement + module.slice(end, lineEnd)),
      text,
    });
  };
  const visit = (node: ts.Node) => {
    if (hasNoCode(node)) return;
    for (const replacement of mutationsOf(node)) add(node, replacement);
    ts.forEachChild(node, visit);
  };
  ts.forEachChild(source, visit);
  return [...mutants.values()];
};
