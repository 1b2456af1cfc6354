CREATE TABLE `imports` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`file` text NOT NULL,
	`head` text NOT NULL,
	`hash` text NOT NULL,
	`bytes` integer NOT NULL,
	`read` integer NOT NULL,
	`added` integer NOT NULL,
	`rejected` integer NOT NULL,
	`rejected_bytes` integer NOT NULL,
	`started_at` integer NOT NULL,
	`finished_at` integer
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `imports_under_way` ON `imports` (`head`) WHERE "imports"."finished_at" is null;