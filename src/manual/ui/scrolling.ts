const update = (box: Element): void => {
  if (box.scrollWidth > box.clientWidth) box.setAttribute("tabindex", "0");
  else box.removeAttribute("tabindex");
};

/** Without a script every box that might scroll takes the focus. This leaves it to those that do. */
export const watchScrolling = (boxes: Iterable<HTMLElement>): void => {
  const observer = new ResizeObserver((entries) => {
    for (const { target } of entries) update(target);
  });
  for (const box of boxes) observer.observe(box);
};
