package dataflow

import (
	"errors"
	"fmt"
	"maps"
	"net"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"sentweave/schemas/fault"
	"sentweave/schemas/storage"
)

// The rules are Google's: project ids and labels of Resource Manager
// (cloud.google.com/resource-manager/docs/creating-managing-projects, creating-managing-labels),
// bucket names of Cloud Storage (cloud.google.com/storage/docs/buckets), job names and
// labels of the Dataflow API (v1b3, Job.name and Job.labels), the rest of Compute Engine.
var (
	projectPattern    = regexp.MustCompile(`^([a-z][a-z0-9.-]*[a-z0-9]:)?[a-z][a-z0-9-]{4,28}[a-z0-9]$`)
	numberPattern     = regexp.MustCompile(`^[0-9]+$`)
	regionPattern     = regexp.MustCompile(`^[a-z]+(-[a-z]+)+[0-9]+$`)
	zonePattern       = regexp.MustCompile(`^([a-z]+(-[a-z]+)+[0-9]+)-[a-z]$`)
	jobNamePattern    = regexp.MustCompile(`^[a-z]([-a-z0-9]*[a-z0-9])?$`)
	labelKeyPattern   = regexp.MustCompile(`^[\p{Ll}\p{Lo}][\p{Ll}\p{Lo}\p{N}_-]*$`)
	labelValuePattern = regexp.MustCompile(`^[\p{Ll}\p{Lo}\p{N}_-]*$`)
	bucketPattern     = regexp.MustCompile(
		`^([a-z0-9][a-z0-9_-]{1,61}[a-z0-9]|[a-z0-9][a-z0-9_-]{0,62}([.][a-z0-9_-]{1,63})*[.]([a-z0-9_-]{0,62}[a-z0-9]))$`)
	accountPattern    = regexp.MustCompile(`^[a-z0-9][a-z0-9-]*@[a-z0-9][a-z0-9.-]*[.]gserviceaccount[.]com$`)
	networkPattern    = regexp.MustCompile(`^(projects/[a-z0-9.:-]+/global/networks/)?[a-z]([-a-z0-9]{0,61}[a-z0-9])?$`)
	subnetworkPattern = regexp.MustCompile(
		`^(https://www[.]googleapis[.]com/compute/v1/projects/[a-z0-9.:-]+/)?regions/([a-z0-9-]+)/subnetworks/[a-z]([-a-z0-9]{0,61}[a-z0-9])?$`)
	imagePattern = regexp.MustCompile(
		`^([a-z0-9][a-z0-9.-]*(:[0-9]+)?/)?[a-z0-9]+([._-]+[a-z0-9]+)*(/[a-z0-9]+([._-]+[a-z0-9]+)*)*(:[A-Za-z0-9_][A-Za-z0-9_.-]{0,127})?(@sha256:[0-9a-f]{64})?$`)
)

const (
	maxJobName = 1024
	// maxLabels leaves room for our own three of the 64 that a job may have.
	maxLabels     = 61
	maxLabel      = 63 // characters; a repetition in the patterns would make every start of the program slow
	maxLabelBytes = 128
	minDiskGB     = 30 // below, image and logs do not fit (Dataflow's pipeline options, disk_size_gb)
	maxDiskGB     = 64 << 10
	maxWorkers    = 4000 // what one batch job may have (cloud.google.com/dataflow/quotas)
)

// Validate returns all faults of the options.
func (o Options) Validate() error {
	return errors.Join(
		o.validateProject(), o.validateRegion(), validateStaging(o.Staging), validateJobName(o.JobName),
		validateLabels(o.Labels), o.validateMachine(), o.validateWorkers(), o.validateImage(), o.validateNetwork(),
	)
}

func (o Options) validateProject() error {
	switch {
	case o.Project == "":
		return errors.New("project is empty: give --project, or set GOOGLE_CLOUD_PROJECT")
	case numberPattern.MatchString(o.Project):
		return fmt.Errorf("project %q is a project's number: give its id, which `gcloud projects list` shows", o.Project)
	case !projectPattern.MatchString(o.Project):
		return fmt.Errorf("project %q is not a project id: 6 to 30 lowercase letters, digits and hyphens, a letter first, no hyphen last; `gcloud projects list` shows those there are",
			o.Project)
	}
	return nil
}

func (o Options) validateRegion() error {
	if o.Region == "" {
		return errors.New("region is empty: give --region, best that of the buckets, such as us-central1")
	}
	if m := zonePattern.FindStringSubmatch(o.Region); m != nil {
		return fmt.Errorf("region %q is a zone: give its region, %s", o.Region, m[1])
	}
	if !regionPattern.MatchString(o.Region) {
		return fmt.Errorf("region %q is not the name of a region, such as us-central1; `gcloud compute regions list` shows those there are",
			o.Region)
	}
	return nil
}

func validateStaging(location string) error {
	const form = "give a folder of your own as gs://BUCKET/FOLDER"
	if location == "" {
		return errors.New("staging is empty: " + form)
	}
	rest, ok := strings.CutPrefix(location, "gs://")
	if !ok {
		return fmt.Errorf("staging %q is not in Cloud Storage, where workers could read it: %s", location, form)
	}
	bucket, folder, _ := strings.Cut(rest, "/")
	if err := validateBucket(bucket); err != nil {
		return fmt.Errorf("staging %q: %w", location, err)
	}
	folder = strings.TrimSuffix(folder, "/")
	if folder == "" {
		return fmt.Errorf("staging %q names no folder in the bucket: %s", location, form)
	}
	if storage.CheckName(folder) != nil {
		return fmt.Errorf("staging %q: the folder must be a clean path, without empty parts and dots", location)
	}
	return nil
}

func validateBucket(bucket string) error {
	if !bucketPattern.MatchString(bucket) || strings.HasPrefix(bucket, "goog") || net.ParseIP(bucket) != nil {
		return fmt.Errorf("%q is not the name of a bucket: 3 to 63 lowercase letters, digits, hyphens, underscores and dots, a letter or digit at both ends, not goog… and not an IP address",
			bucket)
	}
	return nil
}

func validateJobName(name string) error {
	if name != "" && (len(name) > maxJobName || !jobNamePattern.MatchString(name)) {
		return fmt.Errorf("job-name %q: it must have lowercase letters, digits and hyphens, a letter first, no hyphen last, and at most %d characters",
			name, maxJobName)
	}
	return nil
}

func fitsLabel(text string) bool {
	return utf8.RuneCountInString(text) <= maxLabel && len(text) <= maxLabelBytes
}

func validateLabels(labels map[string]string) error {
	var errs fault.List
	errs.Check(len(labels) <= maxLabels, "labels: %d are too many, at most %d have room beside ours", len(labels), maxLabels)
	for _, key := range slices.Sorted(maps.Keys(labels)) {
		value := labels[key]
		errs.Check(key != pipelineLabel && key != planLabel && key != submissionLabel,
			"label %q is our own, by which jobs are found again: choose another key", key)
		errs.Check(labelKeyPattern.MatchString(key) && fitsLabel(key),
			"label %q: a key has 1 to 63 lowercase letters, digits, underscores and hyphens, a letter first", key)
		errs.Check(labelValuePattern.MatchString(value) && fitsLabel(value),
			"label %q: the value %q must have at most 63 lowercase letters, digits, underscores and hyphens", key, value)
	}
	return errs.Err()
}

func (o Options) validateMachine() error {
	machine, err := ParseMachine(o.machineType())
	if err != nil {
		return err
	}
	return machine.fits()
}

func (o Options) validateWorkers() error {
	var errs fault.List
	fixed := o.autoscaling() == autoscalingOff
	for name, n := range map[string]int{"workers": o.Workers, "max-workers": o.MaxWorkers} {
		errs.Check(n >= 0 && n <= maxWorkers, "%s %d: a job has at most %d; 0 lets the service choose", name, n, maxWorkers)
	}
	slices.SortFunc(errs, func(a, b error) int { return strings.Compare(a.Error(), b.Error()) })
	switch {
	case o.autoscaling() != autoscalingOn && !fixed:
		errs.Addf("autoscaling %q is not one of %s, %s", o.Autoscaling, autoscalingOn, autoscalingOff)
	case fixed && o.FlexRS:
		errs.Addf("flexrs needs autoscaling, since machines come and go: leave out --autoscaling=%s", autoscalingOff)
	case fixed && o.Workers == 0:
		errs.Addf("autoscaling %s runs a fixed number of workers: give --workers", autoscalingOff)
	case !fixed && o.MaxWorkers > 0 && o.Workers > o.MaxWorkers:
		errs.Addf("workers %d are more than max-workers %d: raise --max-workers", o.Workers, o.MaxWorkers)
	}
	errs.Check(o.DiskGB == 0 || o.DiskGB >= minDiskGB && o.DiskGB <= maxDiskGB,
		"disk-gb %d: it must be from %d, for image and logs, to %d; 0 lets the service choose", o.DiskGB, minDiskGB, maxDiskGB)
	errs.Check(o.ServiceAccount == "" || accountPattern.MatchString(o.ServiceAccount),
		"service-account %q is not the address of an account, NAME@PROJECT.iam.gserviceaccount.com; `gcloud iam service-accounts list` shows those there are",
		o.ServiceAccount)
	return errs.Err()
}

func (o Options) validateImage() error {
	if o.WorkerImage != "" && !imagePattern.MatchString(o.WorkerImage) {
		return fmt.Errorf("worker-image %q is not a container image, such as REGION-docker.pkg.dev/PROJECT/REPOSITORY/IMAGE:TAG",
			o.WorkerImage)
	}
	return nil
}

func (o Options) validateNetwork() error {
	var errs fault.List
	errs.Check(o.Network == "" || networkPattern.MatchString(o.Network),
		"network %q is not the name of a network: lowercase letters, digits and hyphens, a letter first; `gcloud compute networks list` shows those there are",
		o.Network)
	if o.Subnetwork != "" {
		m := subnetworkPattern.FindStringSubmatch(o.Subnetwork)
		switch {
		case m == nil:
			errs.Addf("subnetwork %q: give regions/REGION/subnetworks/NAME, or of a shared network its whole https://www.googleapis.com/compute/v1/projects/… address",
				o.Subnetwork)
		case o.Region != "" && m[2] != o.Region:
			errs.Addf("subnetwork %q is in region %s, the job in %s: choose one of the job's region", o.Subnetwork, m[2], o.Region)
		}
	}
	return errs.Err()
}
