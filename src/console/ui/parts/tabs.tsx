/** One of some pages, or of some parts of one. */
export interface Tab {
  href: string;
  name: string;
  isCurrent: boolean;
}

/** Links to the parts of what is shown, of which one is shown now; `label` says what they are. */
export const Tabs = ({ label, tabs }: { label: string; tabs: readonly Tab[] }) => (
  <nav aria-label={label} class="areas">
    <ul>
      {tabs.map(({ href, name, isCurrent }) => (
        <li key={href}>
          <a href={href} aria-current={isCurrent ? "page" : undefined}>
            {name}
          </a>
        </li>
      ))}
    </ul>
  </nav>
);
