CREATE TABLE `import_changes` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`import_id` integer NOT NULL,
	`kind` text NOT NULL,
	`pet_id` integer NOT NULL,
	`to_id` integer NOT NULL,
	`before` text,
	`at` integer NOT NULL,
	FOREIGN KEY (`import_id`) REFERENCES `imports`(`id`) ON UPDATE no action ON DELETE cascade,
	CONSTRAINT "import_changes_kind" CHECK("import_changes"."kind" in ('added', 'changed', 'deleted'))
) STRICT;
--> statement-breakpoint
CREATE INDEX `import_changes_by_import` ON `import_changes` (`import_id`);--> statement-breakpoint
ALTER TABLE `imports` ADD `repeated` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `imports` ADD `updated` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `imports` ADD `unchanged` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `imports` ADD `absent` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `imports` ADD `undone_at` integer;