CREATE TABLE `browser_states` (
	`hash` text PRIMARY KEY NOT NULL,
	`kind` text NOT NULL,
	`holder` text,
	`sealed` text NOT NULL,
	`used_at` integer NOT NULL,
	`until` integer NOT NULL,
	CONSTRAINT "browser_states_kind" CHECK("browser_states"."kind" in ('session', 'ceremony'))
) STRICT;
--> statement-breakpoint
CREATE INDEX `browser_states_by_use` ON `browser_states` (`kind`,`used_at`);