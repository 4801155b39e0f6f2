package dataflow

import (
	"context"
	_ "embed"
	"fmt"
	"maps"
	"slices"
	"strings"

	"sentweave/schemas/jsonfile"
	"sentweave/schemas/storage"
)

// TemplateMetadata describes the parameters of the Flex Template in the folder
// template, for `gcloud dataflow flex-template build --metadata-file`. It leaves out
// what a launch asks for by itself: project, region, name and labels of the job.
//
//go:embed template/metadata.json
var TemplateMetadata []byte

// Parameters of the template that are not options.
const (
	pipelineParameter  = "pipeline"
	outParameter       = "out"
	argumentsParameter = "arguments"
)

// launched maps what Google's launcher passes, as the SDK names it, to our flags.
var launched = map[string]string{
	"project": "project", "region": "region", "job_name": "job-name", "template_location": "template-location",
	"staging_location": "staging", "service_account_email": "service-account",
	"worker_machine_type": "machine-type", "num_workers": "workers", "max_num_workers": "max-workers",
	"autoscaling_algorithm": "autoscaling", "sdk_container_image": "worker-image", "disk_size_gb": "disk-gb",
	// The names of these are the SDK's and ours.
	"machine_type": "machine-type", "network": "network", "subnetwork": "subnetwork",
	// Those of the template's metadata.
	"staging": "staging", "service_account": "service-account", "workers": "workers", "max_workers": "max-workers",
	"autoscaling": "autoscaling", "worker_image": "worker-image", "disk_gb": "disk-gb", "flexrs": "flexrs", "private_ips": "private-ips",
}

// IsLaunch says whether the arguments of the program are those of Google's launcher of
// Flex Templates: no verb, and where the request is to be written.
func IsLaunch(args []string) bool {
	return len(args) > 0 && strings.HasPrefix(args[0], "-") && slices.ContainsFunc(args, func(arg string) bool {
		name, _, _ := strings.Cut(strings.TrimLeft(arg, "-"), "=")
		return name == "template_location"
	})
}

// LaunchArguments turns the arguments of the launcher, --name=value, into those of our
// command line: the parameter pipeline becomes the verb, out its output, arguments its
// other flags, divided at blanks. A parameter of the template goes before what the
// launch has of the same meaning. The names of what has no meaning here are returned
// as ignored; the launcher passes experiments and more.
func LaunchArguments(args []string) (arguments, ignored []string, err error) {
	values := map[string]string{}
	for _, arg := range args {
		name, value, ok := strings.Cut(strings.TrimLeft(arg, "-"), "=")
		if !ok {
			value = "true"
		}
		if name == "" || !strings.HasPrefix(arg, "-") {
			return nil, nil, fmt.Errorf("argument %q of the template's launcher is not --NAME=VALUE", arg)
		}
		values[name] = value
	}
	pipeline := values[pipelineParameter]
	if pipeline == "" {
		return nil, nil, fmt.Errorf("the template's parameter %s is empty: give the pipeline that is to run, such as corpus",
			pipelineParameter)
	}
	flags := map[string]string{"runner": "dataflow"}
	// In order, so that those of the template, whose names are ours, come last.
	for _, name := range slices.SortedFunc(maps.Keys(values), templateLast) {
		value := values[name]
		flag, exists := launched[name]
		switch {
		case exists:
			flags[flag] = value
		case name == outParameter:
			flags[outParameter] = value
		case name == "flexrs_goal":
			flags["flexrs"] = fmt.Sprint(strings.HasSuffix(value, "COST_OPTIMIZED"))
		case name == "no_use_public_ips":
			flags["private-ips"] = value
		case name == "use_public_ips":
			flags["private-ips"] = fmt.Sprint(value == "false")
		case name == "labels":
			if flags["labels"], err = labelFlag(value); err != nil {
				return nil, nil, err
			}
		case name != pipelineParameter && name != argumentsParameter && name != "runner":
			ignored = append(ignored, name)
		}
	}
	arguments = []string{pipeline}
	for _, flag := range slices.Sorted(maps.Keys(flags)) {
		if flags[flag] != "" {
			arguments = append(arguments, "--"+flag+"="+flags[flag])
		}
	}
	return append(arguments, strings.Fields(values[argumentsParameter])...), ignored, nil
}

// templateLast sorts names by the alphabet, those of the template's metadata last.
func templateLast(a, b string) int {
	ours := func(name string) bool { return strings.ReplaceAll(name, "_", "-") == launched[name] }
	if ours(a) != ours(b) {
		if ours(a) {
			return 1
		}
		return -1
	}
	return strings.Compare(a, b)
}

// labelFlag turns the labels of a launch, a JSON object, into the value of --labels.
func labelFlag(object string) (string, error) {
	labels := map[string]string{}
	if err := jsonfile.Unmarshal([]byte(object), &labels); err != nil {
		return "", fmt.Errorf("read the labels of the launch, a JSON object: %w", err)
	}
	var list []string
	for _, key := range slices.Sorted(maps.Keys(labels)) {
		list = append(list, key+"="+labels[key])
	}
	return strings.Join(list, ";"), nil
}

// WriteTemplate stages what the request names and writes the request to a location,
// where the launcher of a template looks for it: the service creates the job then.
func WriteTemplate(ctx context.Context, r *Request, location string) error {
	if _, err := Stage(ctx, r); err != nil {
		return err
	}
	body, err := r.JSON()
	if err != nil {
		return err
	}
	dir, name, err := storage.Split(location)
	if err != nil {
		return fmt.Errorf("write the request: %w", err)
	}
	folder, err := storage.Locate(dir)
	if err != nil {
		return fmt.Errorf("write the request: %w", err)
	}
	if err := storage.WriteFile(ctx, folder, name, body, storage.Replace); err != nil {
		return fmt.Errorf("write the request: %w", err)
	}
	return nil
}
