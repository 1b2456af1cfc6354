import { useLayoutEffect, useRef, useState } from "preact/hooks";

/**
 * Tells whether a table must become a list of cells because it is wider than its place. It looks at the table itself: columns
 * depend on what the user may do. It is a table again as soon as there is room for it.
 */
export const useStacked = (isStackable: boolean) => {
  const place = useRef<HTMLDivElement>(null);
  const [isStacked, setStacked] = useState(false);
  const isNow = useRef(isStacked);
  isNow.current = isStacked;
  useLayoutEffect(() => {
    const scroll = place.current;
    const table = scroll?.querySelector("table");
    if (!isStackable || !scroll || !table) return undefined;
    let neededWidth = 0;
    const measure = () => {
      if (isNow.current) return setStacked(scroll.clientWidth < neededWidth);
      if (table.offsetWidth <= scroll.clientWidth) return undefined;
      neededWidth = table.offsetWidth;
      setStacked(true);
    };
    // Before the first paint, so that nothing jumps.
    measure();
    const sizes = new ResizeObserver(measure);
    sizes.observe(scroll);
    sizes.observe(table);
    return () => sizes.disconnect();
  }, [isStackable]);
  return { place, isStacked };
};
