const LABEL = "Copy";
const SHOWN_MS = 2000;

/** The code of a block; of a terminal, its commands alone. */
const textOf = (code: Element): string => {
  const commands = [...code.querySelectorAll(".command")].map((command) => command.textContent);
  return commands.length > 0 ? commands.join("\n") : (code.textContent ?? "");
};

/** The clipboard of pages over plain HTTP, where `navigator.clipboard` does not exist. */
const copyWithSelection = (text: string): boolean => {
  const field = document.createElement("textarea");
  field.value = text;
  field.className = "visually-hidden";
  document.body.append(field);
  field.select();
  const isCopied = document.execCommand("copy");
  field.remove();
  return isCopied;
};

const copy = async (text: string): Promise<boolean> => {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return copyWithSelection(text);
  }
};

/** Says for a moment what came of a click. */
const announcer = (button: HTMLButtonElement) => {
  let timer: ReturnType<typeof setTimeout> | undefined;
  return (isCopied: boolean): void => {
    // The other way to copy took the focus.
    button.focus();
    button.textContent = isCopied ? "Copied" : "Select it, then press Ctrl+C";
    clearTimeout(timer);
    timer = setTimeout(() => {
      button.textContent = LABEL;
    }, SHOWN_MS);
  };
};

/** Puts a button to copy on a block of code. */
export const addCopyButton = (block: HTMLElement): void => {
  // A caption may have code of its own, such as the status of a response.
  const code = block.querySelector("pre code");
  if (!code) return;
  const button = document.createElement("button");
  button.type = "button";
  button.className = "copy";
  button.textContent = LABEL;
  button.setAttribute("aria-live", "polite");
  const announce = announcer(button);
  button.addEventListener("click", () => {
    void copy(textOf(code)).then(announce);
  });
  block.append(button);
};
