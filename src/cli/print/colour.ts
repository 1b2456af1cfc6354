import { styleText } from "node:util";

type Style = Parameters<typeof styleText>[0];

/** Text in colour if the stream is a terminal; NO_COLOR and FORCE_COLOR override that. */
export const coloured = (style: Style, text: string, stream: NodeJS.WriteStream = process.stdout): string =>
  styleText(style, text, { stream });

export const heading = (text: string): string => coloured("bold", text);
